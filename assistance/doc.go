// Package assistance is what a model needs to help with a task, but for storage
// and for the order of steps: passages of texts, the choice among them, prompts,
// and the providers that embed and answer. Package extract beside it makes texts
// of documents.
//
// A provider is any HTTP endpoint that speaks as OpenAI does, or the built-in one,
// which is no model at all and gives the same answer every time.
package assistance
