package domain

// Home contains the lists of a user's home page. Of each list it holds the first entries, and how many there are.
type Home struct {
	// Mine are the user's tasks, ToClaim the tasks that the user may claim, and Waiting the visible open tasks of
	// others, the oldest first.
	Mine, ToClaim, Waiting Page[InboxTask]
	// Running are the running processes that the user has started, the newest first.
	Running Page[BoardProcess]
	// Attention are the processes that the user manages and that need attention, the newest first.
	Attention Page[BoardProcess]
	// Recent are the newest events that are visible to the user.
	Recent []TimelineEvent
	// NewTokens counts the tokens that others issued for the user and that it has not confirmed.
	NewTokens int
	FirstSteps
}

// FirstSteps reports which of the first steps were done: in the tenants that a user administers, by any of their users, and
// otherwise by the user itself.
type FirstSteps struct {
	Administers bool
	// Published reports whether there is a process definition to start, Connected whether a worker is registered.
	Published, Connected bool
	Started, Completed   bool
	// MayStart reports whether the user may start processes.
	MayStart bool
}
