// Package retention removes data because of its age: a part at a time, each in a transaction of its own.
package retention
