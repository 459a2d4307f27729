package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindNotifications lists the caller's notifications.
func (s *Server) FindNotifications(
	ctx context.Context, request oasb.FindNotificationsRequestObject,
) (oasb.FindNotificationsResponseObject, error) {
	params := request.Params
	page, _ := httpio.Listing(params.Size, params.Page, nil)
	found, err := s.app.FindNotifications(ctx, s.call(ctx), app.NotificationFilter{
		TenantIDs: params.TenantID, Kinds: httpio.ConvertStrings[domain.NotificationKind](params.Kind), Unread: httpio.Deref(params.Unread),
	}, page)
	if err != nil {
		return nil, err
	}
	answer := oasb.FindNotifications200JSONResponse{Claimable: []oasb.ClaimableDigest{}, Unread: found.Unread}
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found.Page, notificationItem)
	for _, d := range found.Claimable {
		answer.Claimable = append(answer.Claimable, oasb.ClaimableDigest{
			TenantID: d.TenantID, ProcessItemDefinitionID: d.ItemDefinitionID, ProcessItemDefinitionCode: d.Code, Tasks: d.Tasks, LastAt: d.LastAt,
		})
	}
	return answer, nil
}

func notificationItem(n *domain.Notification) oasb.Notification {
	return oasb.Notification{
		ID: n.ID, Kind: oasb.NotificationKind(n.Kind), TenantID: n.TenantID, ProcessID: n.ProcessID, ProcessItemID: n.ItemID,
		CreatedBy: n.ActorID, CreatedAt: n.CreatedAt, ReadAt: n.ReadAt,
	}
}

// ReadNotifications marks notifications of the caller as read.
func (s *Server) ReadNotifications(
	ctx context.Context, request oasb.ReadNotificationsRequestObject,
) (oasb.ReadNotificationsResponseObject, error) {
	body := httpio.Deref(request.Body)
	if err := s.app.ReadNotifications(ctx, s.call(ctx), body.Ids, httpio.Deref(body.Until)); err != nil {
		return nil, err
	}
	return oasb.ReadNotifications204Response{}, nil
}
