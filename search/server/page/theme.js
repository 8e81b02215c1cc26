// Light or dark: what was chosen here before, otherwise what the system says. Runs before anything is painted.
(() => {
  const KEY = "sectionary.theme";
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";

  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch {
    // storage is switched off: the system's theme it is
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("page-theme");
    const tell = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // storage is switched off: the choice holds until the page is left
      }
      tell();
    });
    dark.addEventListener("change", tell);
    tell();
  });
})();
