package app

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/procession-dev/procession/domain"
)

// maxEnvironmentReads bounds the reads that are remembered; one that is forgotten
// is recorded once more.
const maxEnvironmentReads = 10_000

// environmentRead is a principal that was shown the environment of a robot on a
// day, counted from 1970 in UTC.
type environmentRead struct {
	principal, robot uuid.UUID
	day              int64
}

// environmentReads caches the reads recorded by this replica.
type environmentReads = lru.Cache[environmentRead, struct{}]

func newEnvironmentReads() *environmentReads {
	// It only fails for a size that is not positive.
	reads, _ := lru.New[environmentRead, struct{}](maxEnvironmentReads)
	return reads
}

// recordEnvironmentRead records that the caller is shown the values of the
// environment of a robot, once for each principal, robot and day at this replica.
// It is recorded before anything is shown.
func (s *Service) recordEnvironmentRead(ctx context.Context, call domain.Call, robot *domain.Robot) error {
	now := s.now()
	read := environmentRead{call.PrincipalID, robot.ID, now.Unix() / int64(24*time.Hour/time.Second)}
	if s.environmentReads.Contains(read) {
		return nil
	}
	err := s.recordEvent(ctx, call, domain.ConfigurationEvent(domain.EventRobotEnvironmentRead, domain.Configured{
		ID: robot.ID, TenantID: robot.TenantID, Kind: "Robot", Code: robot.Code,
	}, call.PrincipalID, now))
	if err != nil {
		return fmt.Errorf("recording who reads the environment of a robot: %w", err)
	}
	s.environmentReads.Add(read, struct{}{})
	return nil
}
