// Searches of data sources in forms. A chosen item is a change of an input, which form.js saves.
(() => {
  "use strict";

  let searching;

  document.addEventListener("input", (event) => {
    const finder = event.target.closest("form[data-form] [data-finder]");
    if (finder && event.target.matches("[data-search]")) typed(finder, event.target);
  });

  // The items of a data source are asked for once the person pauses. Each answer says when
  // to look for the next, until there is one or the person types on.
  function typed(finder, input) {
    const button = finder.querySelector(".input-group button[data-find]");
    input.previousElementSibling.value = "";
    stop(finder);
    if (input.value.trim() !== "" && button) searching = setTimeout(() => find(finder, button.value), 400);
  }

  function stop(finder) {
    clearTimeout(searching);
    asked.set(finder.id, (asked.get(finder.id) ?? 0) + 1);
    finder.querySelector("[data-found]").replaceChildren();
  }

  const asked = new Map(); // counts the searches of a control, by its id
  async function find({ id }, button) {
    const finder = document.getElementById(id);
    if (!finder) return;
    const input = finder.querySelector("[data-search]");
    const number = asked.get(id);
    const body = new URLSearchParams([["do", button], ["q", input.value], ...formRows.picks(input.form)]);
    const made = document.createElement("template");
    try {
      const response = await fetch(`${input.form.action}/items`, { method: "POST", body, redirect: "manual" });
      if (!response.ok) throw response;
      made.innerHTML = await response.text();
    } catch {
      made.innerHTML = "<p></p>";
      made.content.firstChild.textContent = finder.dataset.failed;
    }
    if (asked.get(id) !== number) return;
    const found = document.getElementById(id)?.querySelector("[data-found]");
    if (!found) return;
    const again = made.content.querySelector("[data-again]");
    if (again?.dataset.again) {
      again.remove();
      setTimeout(() => { if (asked.get(id) === number) find(finder, again.value); }, Number(again.dataset.again));
    }
    // A live region says again what is put into it.
    if (found.textContent.trim() !== made.content.textContent.trim()) found.replaceChildren(made.content);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("form[data-form] [data-finder] button");
    if (!button) return;
    event.preventDefault();
    const finder = button.closest("[data-finder]");
    const input = finder.querySelector("[data-search]");
    if (button.dataset.find !== undefined) {
      const inside = finder.querySelector("[data-found]").contains(button);
      stop(finder);
      if (inside) input.focus();
      find(finder, button.value);
      return;
    }
    input.value = button.dataset.name;
    input.previousElementSibling.value = button.dataset.choose;
    stop(finder);
    input.focus();
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
})();
