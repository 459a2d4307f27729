// Package feed wakes the followers of the event log, clients of the live feed and the
// webhook dispatcher, when there are new events.
//
// A wake-up carries no events: each follower reads the log from its own cursor at its
// own pace. A lost notification therefore loses no event, and a slow follower needs no
// buffer.
package feed
