// What pages of the console do beyond links and forms. Without it they work too.
(() => {
  "use strict";

  const cookie = (name) => document.cookie.split("; ").find((c) => c.startsWith(name + "="))?.slice(name.length + 1);
  const keep = (name, value) => {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${name}=${value}; Path=/console/; Max-Age=31536000; SameSite=Lax${secure}`;
  };

  // The server writes times in the zone of the browser once it knows it.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && cookie("procession-zone") !== zone) keep("procession-zone", zone);

  // Without a chosen theme pages follow the system.
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = root.dataset.bsTheme;
  const follow = () => { root.dataset.bsTheme = chosen || (dark.matches ? "dark" : "light"); };
  follow();
  dark.addEventListener("change", follow);

  // A menu closes when something else is used.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // Changing a filter asks for the list at once.
  document.addEventListener("change", (event) => {
    if (event.target.matches(".filters select")) event.target.form.requestSubmit();
  });

  // j and k move along the rows of a list.
  const typing = (element) => element.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const links = [...document.querySelectorAll("[data-keys=rows] .row-link")];
    if (links.length === 0 || (event.key !== "j" && event.key !== "k")) return;
    const at = links.indexOf(document.activeElement);
    const next = event.key === "j" ? Math.min(at + 1, links.length - 1) : Math.max(at - 1, 0);
    links[next].focus();
  });
})();
