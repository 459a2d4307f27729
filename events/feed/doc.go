// Package feed wakes the followers of the event log when there are new events:
// clients of the live feed and the webhook dispatcher.
//
// A wake-up carries no events: each follower reads the log from its own cursor at
// its own pace. So no event is lost with a notification, and nothing is buffered
// for a slow follower.
package feed
