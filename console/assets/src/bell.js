// The number of unread notifications in the title, and notifications of the browser for those who ask for them.
(() => {
  "use strict";

  const chosen = "procession-notifies";
  const bell = () => document.getElementById("bell");
  const unread = () => parseInt(bell()?.dataset.unread || "0", 10);

  const showCount = () => {
    const count = bell()?.dataset.unread;
    const title = document.title.replace(/^\(\d+\+?\) /, "");
    document.title = count ? `(${count}) ${title}` : title;
  };

  const isOn = () => "Notification" in window && Notification.permission === "granted" && localStorage.getItem(chosen) === "on";
  const showButton = () => {
    const button = document.querySelector("[data-notifies]");
    if (!button || !("Notification" in window) || !window.isSecureContext) return;
    const denied = Notification.permission === "denied";
    button.hidden = false;
    button.disabled = denied;
    button.setAttribute("aria-pressed", String(isOn()));
    button.querySelector("span").textContent = denied ? button.dataset.denied : isOn() ? button.dataset.on : button.dataset.off;
  };
  document.addEventListener("click", async (event) => {
    if (!event.target.closest("[data-notifies]")) return;
    if (isOn()) localStorage.removeItem(chosen);
    else if (await Notification.requestPermission() === "granted") localStorage.setItem(chosen, "on");
    showButton();
  });

  // The number before the bell rang in the tab that tells the person.
  let before;
  document.addEventListener("procession:bell", (event) => {
    if (event.detail?.leads) before ??= unread();
  });
  const tell = () => {
    const more = before !== undefined && unread() > before;
    before = undefined;
    if (!more || !isOn() || document.hasFocus()) return;
    const shown = new Notification(bell().dataset.new, {body: bell().textContent.trim(), tag: "procession"});
    shown.addEventListener("click", () => {
      window.focus();
      bell().click();
      shown.close();
    });
  };
  // Messages are read when they are seen for a second.
  const pause = 1000;
  const read = async (message) => {
    const id = message.dataset.unread;
    if (!id || !message.isConnected || document.visibilityState !== "visible") return;
    delete message.dataset.unread;
    await fetch("/console/notifications/read", {method: "POST", redirect: "manual", body: new URLSearchParams({id})});
    document.body.dispatchEvent(new CustomEvent("procession:bell", {detail: {leads: false}}));
  };
  const visible = new Set();
  const seen = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (isIntersecting) visible.add(target);
      else visible.delete(target);
      if (isIntersecting) setTimeout(() => { if (visible.has(target)) read(target); }, pause);
    }
  });
  const watchMessages = () => {
    for (const message of document.querySelectorAll("[data-unread]:is(.message)")) seen.observe(message);
  };
  document.addEventListener("visibilitychange", () => {
    for (const message of visible) read(message);
  });

  document.addEventListener("htmx:after:swap", (event) => {
    watchMessages();
    showCount();
    showButton();
    if (event.target.id === "bell") tell();
  });
  document.addEventListener("htmx:after:history:update", () => {
    showCount();
    showButton();
  });
  showButton();
  watchMessages();
})();
