// Package webhook tells subscribers of events: it renders an event for a payload
// version, signs it as Standard Webhooks describes, and makes one attempt at
// delivering it that cannot be turned against the operator's own network.
//
// It keeps nothing and decides nothing about whom to tell. Attempts are counted
// and repeated by its callers, with the delays of NextDelay.
package webhook
