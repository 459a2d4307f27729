// Package webhook sends events to subscribers. It renders an event for a payload
// version, signs it as Standard Webhooks describes, and makes one attempt to
// deliver it that cannot be turned against the operator's own network.
//
// It stores no state and does not select the subscribers. Its callers count the attempts
// and retry with the delays of NextDelay.
package webhook
