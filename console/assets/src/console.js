// What pages of the console do beyond links and forms. Without it they work too.
(() => {
  "use strict";

  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // The server writes times in the zone of the browser once it knows it.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.split("; ").includes("procession-zone=" + zone)) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `procession-zone=${zone}; Path=/console/; Max-Age=31536000; SameSite=Lax${secure}`;
  }

  // Time zones are listed by the browser.
  const listZones = () => {
    for (const list of all("datalist[data-zones]:empty")) {
      for (const name of Intl.supportedValuesOf?.("timeZone") ?? []) list.append(new Option(name, name));
    }
  };
  listZones();
  document.addEventListener("focusin", listZones);

  // Dialogs and menus.
  const open = (name) => {
    const dialog = document.getElementById(name);
    if (!dialog || dialog.open) return;
    closeMenus();
    dialog.showModal();
    const input = $("input", dialog);
    if (!input) return;
    input.select();
    input.dispatchEvent(new CustomEvent("procession:open"));
  };
  const closeMenus = (except) => {
    for (const menu of all("details.menu[open]")) {
      if (!menu.contains(except)) menu.open = false;
    }
  };
  document.addEventListener("click", (event) => {
    closeMenus(event.target);
    const opener = event.target.closest("[data-opens]");
    if (opener) {
      event.preventDefault();
      open(opener.dataset.opens);
    } else if (event.target.matches("dialog")) {
      event.target.close();
    } else if (event.target.closest("dialog a")) {
      event.target.closest("dialog").close();
    }
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.closest("dialog.palette")) return;
    event.preventDefault();
    rows()[0]?.click();
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const copied = await copyText(button);
    button.classList.toggle("done", copied);
    $("#live").textContent = copied ? button.dataset.done : button.dataset.failed;
  });
  // Browsers have no clipboard on http, and may deny it.
  const copyText = async (button) => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      return true;
    } catch {
      const field = document.createElement("textarea");
      field.className = "visually-hidden";
      field.value = button.dataset.copy;
      button.after(field);
      field.select();
      const copied = document.execCommand("copy");
      field.remove();
      button.focus();
      return copied;
    }
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-print]")) window.print();
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
  });

  // Lists are searched while words are typed. The last search of a form wins, and is the only one in the history.
  let searching;
  document.addEventListener("input", (event) => {
    const form = event.target.matches("[data-typed]") && !event.isComposing && event.target.form;
    if (!form) return;
    clearTimeout(searching);
    searching = setTimeout(() => {
      if (!form.isConnected) return;
      form.setAttribute("hx-replace-url", "true");
      form.requestSubmit();
    }, 300);
  });
  document.addEventListener("submit", (event) => {
    if ($("[data-typed]", event.target)) clearTimeout(searching);
  }, true);

  // One check box selects all rows of a list.
  const rowBoxes = (whole) => all(`.row-item input[name="${whole.dataset.selectsAll}"]`, whole.form);
  document.addEventListener("change", (event) => {
    const whole = event.target.matches("[data-selects-all]") ? event.target : event.target.form && $("[data-selects-all]", event.target.form);
    if (!whole) return;
    const boxes = rowBoxes(whole);
    if (whole === event.target) for (const box of boxes) box.checked = whole.checked;
    const selected = boxes.filter((box) => box.checked).length;
    whole.checked = selected === boxes.length;
    whole.indeterminate = selected > 0 && selected < boxes.length;
  });

  // Keys. Those without Ctrl can be turned off, and do nothing while typing.
  const rows = () => all("[data-rows] .row-link", $("dialog[open]") ?? document);
  const move = (by) => {
    const links = rows();
    if (links.length === 0) return;
    const focused = links.indexOf(document.activeElement.closest(".row-item")?.querySelector(".row-link"));
    const from = focused >= 0 ? focused : links.findIndex((link) => link.closest(".row-item.active"));
    const at = from < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(from + by, 0), links.length - 1);
    links[at].focus();
  };
  const press = (key) => {
    const control = $(`[data-key="${key}"]`);
    if (control) control.matches("input") ? control.focus() : control.click();
    return Boolean(control);
  };
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    x: () => document.activeElement.closest(".row-item")?.querySelector("input[type=checkbox]")?.click(),
    c: () => press("c"),
    a: () => press("a"),
    "/": () => press("search"),
    "?": () => open("keys"),
  };
  const typing = (element) => element.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open("palette");
    } else if (command && event.key === "Enter" && event.target.closest(".message-form")) {
      event.preventDefault();
      event.target.form.requestSubmit();
    } else if (command && event.key === "Enter") {
      const complete = $("[data-complete]");
      if (complete && !event.defaultPrevented) complete.click();
    } else if (event.key === "Escape") {
      for (const menu of all("details.menu[open]")) {
        menu.open = false;
        $("summary", menu).focus();
      }
    } else if (event.target.closest("dialog.palette") && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (!command && !event.altKey && !typing(event.composedPath()[0]) && !$("dialog[open]") &&
        $("#page")?.dataset.keys === "on" && Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // Where the user is, is seen in navigation that is wider than the window.
  const reveal = () => {
    for (const link of all(".areas .active, .tabs .active, .side .active")) {
      const [nav, at, of] = [link.parentElement, link.getBoundingClientRect(), link.parentElement.getBoundingClientRect()];
      if (at.left < of.left || at.right > of.right) nav.scrollLeft += at.left - of.left - (of.width - at.width) / 2;
    }
  };
  reveal();

  // A page that came in place of another is announced, and has the focus unless
  // something of it has kept it.
  document.addEventListener("htmx:after:history:update", () => {
    $("#live").textContent = document.title;
    reveal();
    if (document.activeElement === document.body) $("#content")?.focus({preventScroll: true});
  });

  // Notes about what was done fade, and are not shown again by a reload.
  const settle = () => {
    for (const note of all("[data-fades]:not(.fading)")) {
      note.classList.add("fading");
      fade(note);
    }
    const here = new URL(location.href);
    const told = ["completed", "did", "changed", "refused"].filter((name) => here.searchParams.has(name));
    if (told.length === 0) return;
    for (const name of told) here.searchParams.delete(name);
    history.replaceState(history.state, "", here);
  };
  document.addEventListener("click", (event) => event.target.closest("[data-closes]")?.parentElement.remove());
  // On wide pages the process of a task is below the context, and both stay in view.
  const contexts = new ResizeObserver((sizes) => {
    for (const {target} of sizes) target.parentElement.style.setProperty("--context", `${target.offsetHeight}px`);
  });
  const measure = () => {
    contexts.disconnect();
    for (const context of all(".task-columns > .task-context")) contexts.observe(context);
  };
  document.addEventListener("htmx:after:swap", () => {
    settle();
    measure();
  });
  measure();

  // Without a connection, links and forms do nothing. A bar says so until the service answers again.
  const setOffline = (offline) => {
    const [bar, text] = [$("#offline"), offline ? $("#page")?.dataset.offline ?? "" : ""];
    if (bar && bar.textContent !== text) bar.textContent = text;
  };
  addEventListener("offline", () => setOffline(true));
  addEventListener("online", () => setOffline(false));
  document.addEventListener("htmx:after:request", () => setOffline(false));
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx && !event.detail.ctx.response && !leaving) setOffline(true);
  });

  // toast shows a short text for a while. It stays while the pointer or the focus is on it.
  const toast = (text) => {
    const shown = $("#toasts").appendChild(document.createElement("div"));
    shown.className = "toast-note";
    shown.textContent = text;
    fade(shown);
  };
  const fade = (shown) => setTimeout(() => {
    if (shown.matches(":hover, :focus-within")) fade(shown);
    else shown.remove();
  }, 10000);
  settle();

  // A form that cannot be carried out now stays on the page with its input, under a notice.
  const tell = (form, title, advice) => {
    $("#unavailable")?.remove();
    const notice = document.createElement("div");
    notice.id = "unavailable";
    notice.className = "alert alert-danger";
    notice.setAttribute("role", "alert");
    const heading = document.createElement("strong");
    heading.textContent = title;
    notice.append(heading, " ", advice);
    const typed = $("textarea, select, input:not([type=hidden], [type=checkbox])", form);
    (typed ? form : $("#content").firstElementChild).prepend(notice);
    notice.scrollIntoView({block: "nearest"});
  };
  document.addEventListener("htmx:before:swap", (event) => {
    const {sourceElement: source, response, text} = event.detail.ctx;
    if (!(response?.status >= 400)) return;
    const answer = new DOMParser().parseFromString(text, "text/html");
    const [part, page] = [$("[data-failure]", answer), response.status === 503 && $("#failure", answer)];
    if (source?.matches("form[method=post]") && (part || page)) {
      event.preventDefault();
      if (part) tell(source, part.textContent, "");
      else tell(source, $("h1", page).textContent, $("[data-advice]", page).textContent);
    } else if (part) {
      // What is shown stays. A part that was never loaded explains why it is missing.
      event.preventDefault();
      if (/^(load|intersect)/.test(source?.getAttribute("hx-trigger") ?? "")) source.replaceChildren(part);
      else if (source?.matches("a, button, input")) toast(part.textContent);
    }
  });
  document.addEventListener("htmx:error", (event) => {
    const form = event.detail.ctx?.sourceElement;
    if (!event.detail.ctx?.response && form?.matches("form[method=post]")) tell(form, $("#page").dataset.offline, "");
  });

  // A message that was sent leaves its form, which keeps the focus. Meanwhile the form cannot be sent
  // again, and the conversation stays as it is.
  let sending;
  const composer = (event) => {
    const form = event.detail.ctx?.sourceElement;
    return form?.matches?.(".message-form") ? form : null;
  };
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".message-form")) return;
    if (sending?.isConnected) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else {
      sending = event.target;
    }
  }, true);
  document.addEventListener("htmx:before:request", (event) => {
    if (sending?.isConnected && event.target.matches?.("#conversation")) event.preventDefault();
  });
  document.addEventListener("htmx:after:request", (event) => {
    const form = composer(event);
    if (form && event.detail.ctx.response?.status < 400) $("textarea", form).value = "";
  });
  document.addEventListener("htmx:finally:request", (event) => {
    const form = composer(event);
    if (!form) return;
    sending = undefined;
    $("textarea", form).focus();
  });

  // A sign-out takes along what the user has typed, in all tabs. Pages that the browser has kept
  // are asked for again.
  const ends = "BroadcastChannel" in window ? new BroadcastChannel("procession-sign-out") : null;
  let leaving = false;
  // News of a page that is left would lead to the sign-in page with the way back to it.
  for (const name of ["htmx:before:request", "htmx:before:response"]) {
    document.addEventListener(name, (event) => { if (leaving) event.preventDefault(); });
  }
  // Without a session, a page with a form stays: the form tells it, and keeps the input.
  document.addEventListener("htmx:before:response", (event) => {
    const {sourceElement: source, response} = event.detail.ctx;
    if (source?.matches("[data-about], #news") && response.headers.has("HX-Redirect") && $("[data-form]")) event.preventDefault();
  });
  const leave = () => {
    leaving = true;
    document.dispatchEvent(new CustomEvent("procession:signed-out"));
    location.assign("/console/sign-in");
  };
  document.addEventListener("procession:leaving", () => { leaving = true; });
  if ($("#page")) ends?.addEventListener("message", leave);
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("[data-signs-out]");
    if (!form) return;
    event.preventDefault();
    leaving = true;
    try {
      await fetch(form.action, {method: "POST", redirect: "manual"});
      ends?.postMessage("signed out");
      leave();
    } catch {
      form.submit();
    }
  });
  // A form that waits for a fresh sign-in in another tab goes on by itself.
  const signIns = "BroadcastChannel" in window ? new BroadcastChannel("procession-sign-in") : null;
  signIns?.addEventListener("message", () => $("[data-after-sign-in]")?.requestSubmit());
  if ($("[data-signed-in-again]")) signIns?.postMessage("signed in");

  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // News: one tab of the browser follows the service and notifies the others. Where tabs
  // cannot agree on one, each asks from time to time.
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("procession-news") : null;
  const everything = "*";
  let due, tails = new Set();
  // News names the tails of the ids of changed processes. Parts of pages about one process are told of its news alone.
  const news = (named = everything) => {
    for (const tail of named.split(",")) tails.add(tail);
    due ??= setTimeout(() => {
      const changed = tails;
      [due, tails] = [undefined, new Set()];
      // Many people have the same news. Their lists ask at different times.
      setTimeout(() => document.body.dispatchEvent(new CustomEvent("procession:news")), Math.random() * 1000);
      for (const part of all("[data-about]")) {
        if (changed.has(everything) || changed.has(part.dataset.about.slice(-3))) part.dispatchEvent(new CustomEvent("procession:changed"));
      }
    }, 300);
  };
  // The bell rings in all tabs; only the tab that follows the service tells the person beyond the page.
  const ring = (leads) => document.body.dispatchEvent(new CustomEvent("procession:bell", {detail: {leads}}));
  const pause = 15000;
  const notify = (named = everything) => {
    news(named);
    channel.postMessage(named);
  };
  const follow = () => new Promise((ended) => {
    const source = new EventSource("/console/live");
    let asking;
    source.addEventListener("news", (event) => notify(event.data));
    source.addEventListener("bell", () => {
      ring(true);
      channel.postMessage("bell");
    });
    source.addEventListener("open", () => {
      document.documentElement.dataset.live = "";
      // What happened before the stream began is news too.
      notify();
      clearInterval(asking);
      asking = undefined;
    });
    source.addEventListener("error", () => {
      asking ??= setInterval(() => notify(), pause);
      if (source.readyState !== EventSource.CLOSED) return;
      // A refused stream is not tried again by the browser.
      clearInterval(asking);
      setTimeout(() => {
        notify();
        ended();
      }, pause);
    });
  });
  if ($("#page")) {
    if (channel && navigator.locks) {
      channel.addEventListener("message", (event) => event.data === "bell" ? ring(false) : news(event.data));
      const lead = () => navigator.locks.request("procession-live", follow).then(lead);
      lead();
    } else {
      setInterval(() => { news(); ring(true); }, pause);
    }
  }
})();
