package shapeb

import (
	"context"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
)

// ChangeProcessInitiator implements operation B13.
func (s *Server) ChangeProcessInitiator(
	ctx context.Context, request oasb.ChangeProcessInitiatorRequestObject,
) (oasb.ChangeProcessInitiatorResponseObject, error) {
	initiator := principalKey(request.Body.InitiatorID, request.Body.InitiatorEmail)
	changed, err := s.app.ChangeProcessInitiator(ctx, s.call(ctx), request.ID, initiator)
	if err != nil {
		return nil, err
	}
	return oasb.ChangeProcessInitiator200JSONResponse(convertProcess(changed)), nil
}
