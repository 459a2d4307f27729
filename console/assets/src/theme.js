// Runs before the page is painted: without a chosen theme pages follow the system.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = root.dataset.bsTheme;
  const follow = () => { root.dataset.bsTheme = chosen || (dark.matches ? "dark" : "light"); };
  follow();
  dark.addEventListener("change", follow);
})();
