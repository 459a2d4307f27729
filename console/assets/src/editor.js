// The editors of texts. Pages with a manifest load them at once, forms with the first value that is edited as JSON.
import {editManifest} from "./editor-manifest.js";
import {editJSON} from "./editor-json.js";

const nonce = document.currentScript.nonce;
const area = document.querySelector("textarea[data-editor]");
if (area) editManifest(area, nonce);
window.editJSON = editJSON;
