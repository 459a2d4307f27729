package ui

import (
	"context"

	"github.com/procession-dev/procession/domain"
)

// StandingBadge returns the badge of a standing.
func StandingBadge(s domain.Standing) Badge {
	switch s {
	case domain.StandingAttention:
		return Badge{Text("Needs attention"), "alert-triangle", red}
	case domain.StandingEngine:
		return Badge{Text("Waiting for the engine"), "clock", yellow}
	}
	return BadgeOf(domain.ProcessRunning)
}

// ProcessBadge returns the badge of a process with a state and a condition.
func ProcessBadge(ctx context.Context, state domain.ProcessState, c domain.Condition) Badge {
	if state != domain.ProcessRunning {
		return BadgeOf(state)
	}
	standing := c.Standing(ViewerOf(ctx).Now)
	if standing == "" && c.Code == domain.ConditionWaitingForSignal {
		return Badge{Text("Waiting for a signal"), "inbox", blue}
	}
	return StandingBadge(standing)
}
