/** The home directory drawn as `~`; any other path as it is. Only a whole folder name counts: `/home/ann2` is not in `/home/ann`. */
export function tildePath(path: string, userHome: string): string {
  const home = userHome.length > 1 && userHome.endsWith('/') ? userHome.slice(0, -1) : userHome;
  if (home === '' || home === '/') return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Last folder of a path: `/home/ann/code/shop` → `shop`; `/` stays. */
export function baseName(path: string): string {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return trimmed.slice(trimmed.lastIndexOf('/') + 1) || trimmed;
}
