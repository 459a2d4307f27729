// Package assistance implements AI assistance with tasks, apart from storage
// and the order of steps: it splits texts into passages, chooses among them,
// fills prompts, and calls the providers that embed and answer. Its subpackage
// extract makes texts of documents.
//
// A provider is any HTTP endpoint with the protocol of OpenAI, or the built-in
// one, which is not a model and always gives the same answer.
package assistance
