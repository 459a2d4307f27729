// Package webhooks is where administrators see how the receivers of events are doing, and
// send again what they missed.
package webhooks
