// Light or dark: the reader's choice, or else the system's. Runs before the page is painted.
(() => {
  const KEY = "sectionary.theme";
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";

  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch {
    // storage is switched off: the system's theme is used
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("page-theme");
    const showChoice = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // storage is switched off: the choice holds until the page is left
      }
      showChoice();
    });
    dark.addEventListener("change", showChoice);
    showChoice();
  });
})();
