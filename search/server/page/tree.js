// A list of documents → a tree of their folders.

/**
 * The root of the tree. A folder has its `path` ("docs/guide/"), the `name` that is shown, its `folders` and `documents` in
 * order, its `size` (documents in it and below), and `isOnly`: whether nothing else is beside it. Folders that hold one
 * folder and nothing else are joined with it: "docs/guide/".
 */
export function treeOf(documents) {
  const root = folderAt("", "");
  for (const document of documents) {
    let folder = root;
    folder.size += 1;
    const last = document.path.lastIndexOf("/") + 1;
    for (let at = 0; at < last;) {
      const end = document.path.indexOf("/", at) + 1;
      const name = document.path.slice(at, end);
      if (!folder.byName.has(name)) {
        const made = folderAt(document.path.slice(0, end), name);
        folder.byName.set(name, made);
        folder.folders.push(made);
      }
      folder = folder.byName.get(name);
      folder.size += 1;
      at = end;
    }
    folder.documents.push(document);
  }
  const waiting = [root];
  while (waiting.length) {
    const folder = waiting.pop();
    folder.folders = folder.folders.map(joined);
    for (const one of folder.folders) one.isOnly = folder.folders.length === 1 && !folder.documents.length;
    waiting.push(...folder.folders);
  }
  return root;
}

const folderAt = (path, name) => ({ path, name, size: 0, folders: [], documents: [], byName: new Map(), isOnly: false });

/** A folder, or the innermost one of those that hold nothing but one another, with their names. */
function joined(folder) {
  const names = [folder.name];
  while (folder.folders.length === 1 && !folder.documents.length) {
    [folder] = folder.folders;
    names.push(folder.name);
  }
  folder.name = names.join("");
  return folder;
}
