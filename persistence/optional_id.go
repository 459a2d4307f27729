package persistence

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// encodeOptionalID encodes a *uuid.UUID as the id that it points to, or as NULL for nil. pgx takes pointers that are a driver.Valuer for
// values of their own: it would ask for the text of the id, fail to encode that, and read it again.
func encodeOptionalID(value any) (plan pgtype.WrappedEncodePlanNextSetter, next any, ok bool) {
	if _, ok := value.(*uuid.UUID); !ok {
		return nil, nil, false
	}
	return &optionalIDPlan{}, uuid.Nil, true
}

type optionalIDPlan struct{ next pgtype.EncodePlan }

func (p *optionalIDPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *optionalIDPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, _ := value.(*uuid.UUID)
	if id == nil {
		return nil, nil
	}
	return p.next.Encode(*id, buf)
}
