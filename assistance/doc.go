// Package assistance implements AI assistance with tasks, independent of storage: it splits texts into passages,
// selects passages, fills prompts, and calls providers for embeddings and answers. Its subpackage extract extracts
// text from documents.
//
// A provider is any HTTP endpoint with the protocol of OpenAI, or the built-in one, which is not a model and answers
// deterministically.
package assistance
