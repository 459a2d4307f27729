// Files of forms: they are checked, uploaded with their progress, and shown as cards. An added or removed file is a
// change of the control, which form.js saves.
(() => {
  "use strict";

  // Files with an extension begin with these bytes.
  const signatures = { pdf: "%PDF-", png: "\x89PNG", jpg: "\xff\xd8\xff", jpeg: "\xff\xd8\xff", gif: "GIF8", webp: "RIFF" };
  for (const kind of ["zip", "docx", "xlsx", "pptx", "odt", "ods", "odp"]) signatures[kind] = "PK";

  const placeOf = (event) => event.target.closest?.("form[data-form] [data-files]");
  document.addEventListener("dragover", (event) => { if (placeOf(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    const input = placeOf(event)?.querySelector("input[type=file]");
    if (!input) return;
    event.preventDefault();
    add(input, event.dataTransfer.files);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("form[data-form] [data-files] input[type=file]")) add(event.target, event.target.files);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("form[data-form] [data-drop]");
    if (!button) return;
    event.preventDefault();
    const place = button.closest("[data-files]");
    button.closest("[data-file]").remove();
    place.querySelector("input[type=file]")?.focus();
    changed(place);
  });

  const changed = (place) => place.dispatchEvent(new CustomEvent("form:change", { bubbles: true, detail: { name: "v" + place.dataset.files } }));

  async function add(input, files) {
    const place = input.closest("[data-files]");
    const problems = [];
    for (const file of input.multiple ? [...files] : [...files].slice(0, 1)) {
      const problem = await check(input, file) || await upload(place, input, file);
      if (problem) problems.push(problem.replace("{name}", file.name));
    }
    place.querySelector("[data-refusal]").textContent = problems.join(" ");
    input.value = "";
  }

  // check returns why a file is refused, "" for one that may be uploaded.
  async function check(input, file) {
    const name = file.name.toLowerCase();
    const fits = (kind) => kind.startsWith(".") ? name.endsWith(kind) : kind === "*/*" || (kind.endsWith("/*") ? file.type.startsWith(kind.slice(0, -1)) : file.type === kind);
    const accept = input.accept.toLowerCase().split(",").map((kind) => kind.trim()).filter(Boolean);
    if (accept.length > 0 && !accept.some(fits)) return input.dataset.kind;
    if (file.size === 0) return input.dataset.empty;
    if (Number(input.dataset.max) > 0 && file.size > Number(input.dataset.max)) return input.dataset.large;
    const wanted = signatures[name.slice(name.lastIndexOf(".") + 1)];
    if (!wanted) return "";
    const start = new Uint8Array(await file.slice(0, wanted.length).arrayBuffer());
    return String.fromCharCode(...start) === wanted ? "" : input.dataset.content;
  }

  // upload sends a file and shows it as a card. It returns why the file was not stored, "" if it was or the person
  // has cancelled it.
  async function upload(place, input, file) {
    const row = place.querySelector("[data-upload]");
    const progress = row.querySelector("progress");
    row.querySelector(".form-file-name").textContent = file.name;
    progress.value = 0;
    row.hidden = false;
    try {
      const stored = await transfer(input.form, place.dataset.files, file, (share) => { progress.value = share; }, row.querySelector("[data-cancel]"));
      if (stored.message) return stored.message;
      if (!input.multiple) for (const card of place.querySelectorAll(":scope > [data-file]")) card.remove();
      const card = place.querySelector("template").content.firstElementChild.cloneNode(true);
      const value = card.querySelector("input");
      [card.dataset.file, value.value, value.disabled] = [stored.reference, stored.reference, false];
      card.querySelector(".form-file-name").textContent = stored.name;
      const button = card.querySelector("[data-drop]");
      button.value += stored.reference;
      button.setAttribute("aria-label", `${button.title}: ${stored.name}`);
      input.before(card);
      changed(place);
      return "";
    } catch (failure) {
      return failure === "cancelled" ? "" : input.dataset.failed;
    } finally {
      row.hidden = true;
    }
  }

  // transfer sends a file. Only this interface of browsers reports its progress.
  function transfer(form, at, file, report, cancel) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${form.action}/files?${new URLSearchParams([["at", at], ...formRows.picks(form)])}`);
      request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
      request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
      request.setRequestHeader("Accept", "application/json");
      request.upload.onprogress = (event) => { if (event.lengthComputable) report(event.loaded / event.total); };
      request.onload = () => {
        try {
          if (request.status >= 300) throw request;
          resolve(JSON.parse(request.responseText));
        } catch (failure) { reject(failure); }
      };
      request.onerror = reject;
      request.onabort = () => reject("cancelled");
      cancel.onclick = () => request.abort();
      request.send(file);
    });
  }
})();
