// Package feed tells those who follow the ledger of events that there are new
// ones: clients of the live feed, and whatever delivers events elsewhere.
//
// It never carries events, only the news that there are some: everybody reads the
// ledger from where they are, at their own pace. So nothing is lost with a
// notification, and nothing is kept for anybody who is slow.
package feed
