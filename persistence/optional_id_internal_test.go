package persistence

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"
)

func TestOptionalIDsAreSentLikeIDs(t *testing.T) { //nolint:paralleltest // it counts allocations
	types := pgtype.NewMap()
	registerTypes(types)
	id := uuid.New()
	buf := make([]byte, 0, len(id))

	sent, err := types.Encode(pgtype.UUIDOID, pgtype.BinaryFormatCode, &id, buf)
	require.NoError(t, err)
	require.Equal(t, id[:], sent)

	none, err := types.Encode(pgtype.UUIDOID, pgtype.BinaryFormatCode, (*uuid.UUID)(nil), buf)
	require.NoError(t, err)
	require.Nil(t, none)

	cost := func(value any) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = types.Encode(pgtype.UUIDOID, pgtype.BinaryFormatCode, value, buf) })
	}
	require.LessOrEqual(t, cost(&id), cost(id)+1, "allocations of a pointer beside those of the id")
}
