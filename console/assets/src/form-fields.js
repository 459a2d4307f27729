// The controls of forms that need a script to be at their best: names that are looked
// up while they are typed, and files with their progress. What they come to is an
// ordinary change of an input, which form.js saves.
(() => {
  "use strict";

  const say = (input, text, state = "") => input.dispatchEvent(new CustomEvent("form:say", { bubbles: true, detail: { text, state } }));
  let searching;

  // A name is looked up among what the control may refer to.
  document.addEventListener("input", (event) => {
    const input = event.target;
    if (!input.matches("form[data-form] input[data-search]")) return;
    const finder = input.closest("[data-finder]");
    if (finder) { typed(finder, input); return; }
    const list = document.getElementById(input.getAttribute("list"));
    const known = [...list.options].find((option) => option.value === input.value);
    input.previousElementSibling.value = known?.dataset.reference ?? "";
    clearTimeout(searching);
    if (known || input.value.trim() === "") return;
    searching = setTimeout(async () => {
      const query = new URLSearchParams([["at", input.dataset.search], ["q", input.value], ...formRows.picks(input.form)]);
      const found = await fetch(`${input.form.action}/found?${query}`, { headers: { Accept: "application/json" } }).then((r) => r.json()).catch(() => []);
      list.replaceChildren(...found.map(({ reference, name }) => {
        const option = document.createElement("option");
        option.value = name;
        option.dataset.reference = reference;
        return option;
      }));
    }, 200);
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

  const place = (event) => event.target.closest?.("form[data-form] [data-files]");
  document.addEventListener("dragover", (event) => { if (place(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    const input = place(event)?.querySelector("input[type=file]");
    if (!input) return;
    event.preventDefault();
    upload(input, event.dataTransfer.files);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("form[data-form] [data-files] input[type=file]")) upload(event.target, event.target.files);
  });

  async function upload(input, files) {
    const form = input.form;
    const list = input.closest("[data-files]");
    const progress = list.querySelector("progress");
    const most = Number(input.dataset.max);
    for (const file of input.multiple ? [...files] : [...files].slice(0, 1)) {
      if (most > 0 && file.size > most) { say(input, `${file.name}: ${form.dataset.tooLarge}`, "failed"); continue; }
      say(input, form.dataset.uploading);
      progress.hidden = false;
      try {
        const stored = await transfer(form, list.dataset.files, file, (share) => { progress.value = share * 100; });
        if (!input.multiple) for (const old of list.querySelectorAll("input[type=checkbox]")) old.checked = false;
        add(input, "v" + list.dataset.files, stored);
      } catch {
        say(input, `${file.name}: ${form.dataset.failed}`, "failed");
      }
      progress.hidden = true;
    }
    input.value = "";
  }

  // add puts a file that is stored into the list of those that the value has.
  function add(input, name, stored) {
    const label = Object.assign(document.createElement("label"), { className: "form-check" });
    const box = Object.assign(document.createElement("input"), {
      type: "checkbox", className: "form-check-input", name, value: stored.reference, checked: true,
    });
    label.append(box, Object.assign(document.createElement("span"), { className: "form-check-label", textContent: stored.name }));
    input.before(label);
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // transfer sends a file. Only this interface of browsers reports its progress.
  function transfer(form, at, file, sent) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${form.action}/files?${new URLSearchParams([["at", at], ...formRows.picks(form)])}`);
      request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
      request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
      request.setRequestHeader("Accept", "application/json");
      request.upload.onprogress = (event) => { if (event.lengthComputable) sent(event.loaded / event.total); };
      request.onload = () => {
        try {
          if (request.status >= 300) throw request;
          resolve(JSON.parse(request.responseText));
        } catch (failure) { reject(failure); }
      };
      request.onerror = reject;
      request.send(file);
    });
  }
})();
