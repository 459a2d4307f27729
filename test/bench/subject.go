package main

import (
	"fmt"

	"github.com/google/uuid"
)

// The ids of the bench consist of 13 hexadecimal digits for the kind of subject and
// 19 decimal digits for its number. pgbench, which has no type for ids, makes them
// by appending a number, and they grow as ids of the service do.
const (
	// subjectBase sets version and variant of UUIDv7 (RFC 9562, 5.7).
	subjectBase   = 1_008_000_000_000_000_000
	subjectStride = 1_000_000_000

	// workLane is the first lane of creates and pairs, with a lane for each client.
	workLane = 1_000
)

// Kinds of subjects.
const (
	kindProcess = iota + 1
	kindItem
	kindListProcess
	kindListItem
	kindArtifact
	kindTaskProcess
	kindFreshCreates = 0x100
	kindFreshPairs   = 0x200
)

func idPrefix(kind int) string { return fmt.Sprintf("%012x7", 0x019700000000+kind) }

// subjectID returns the id of the i-th subject of its kind in a lane.
func subjectID(kind, lane, i int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("%s%d", idPrefix(kind), int64(subjectBase)+int64(lane)*subjectStride+int64(i)))
}
