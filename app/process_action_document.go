package app

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// UploadProcessUserActionDocument (A13, B14) is UploadProcessActionDocument that
// returns the process.
func (s *Service) UploadProcessUserActionDocument(
	ctx context.Context, call domain.Call, process, action uuid.UUID, in storage.File,
) (p *domain.Process, taken bool, err error) {
	site, err := s.deliverDocument(ctx, call, process, action, in)
	if site == nil || err != nil {
		return nil, false, err
	}
	return &site.Process, true, nil
}

// UploadProcessActionDocument completes an action that was invoked on a process
// with the document it delivers, and reports whether it did: an action that is
// final already stays as it is. The process may be finished. It requires the Manager
// permission. Errors: NOT_FOUND, INVALID_STATE for an action that delivers no
// document, VALIDATION, DOCUMENT_TOO_LARGE.
func (s *Service) UploadProcessActionDocument(
	ctx context.Context, call domain.Call, process, action uuid.UUID, in storage.File,
) (a *domain.ProcessAction, taken bool, err error) {
	site, err := s.deliverDocument(ctx, call, process, action, in)
	if site == nil || err != nil {
		return nil, false, err
	}
	return site.Action, true, nil
}

// deliverDocument stores the document of an action and completes the action. It returns
// nil for an action that is final already.
func (s *Service) deliverDocument(
	ctx context.Context, call domain.Call, process, action uuid.UUID, in storage.File,
) (*persistence.ProcessActionSite, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, err := s.store.Reader.GetProcessActionSite(ctx, call.Caller, process, action, s.now())
	if err != nil {
		return nil, err
	}
	if err := takesDocument(site); err != nil {
		return nil, unlessNotTaken(err)
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcessAction, ID: action}
	_, err = s.uploads.Receive(ctx, call, storage.Upload{
		File: in, Tenant: site.Process.TenantID, Owner: owner,
		Admit: func(d *domain.Document) persistence.Read[domain.Events] {
			read := persistence.LockProcessAction(call.Caller, process, action, d.CreatedAt)
			return persistence.Then(read, func(tx *persistence.Tx, locked *persistence.ProcessActionSite) (domain.Events, error) {
				if err := takesDocument(locked); err != nil {
					return nil, err
				}
				site = locked
				site.Action.Complete(call.PrincipalID, d.CreatedAt)
				site.Action.Deliver(d.ID, DocumentURI(d))
				return domain.Events{storeProcessActionEnd(tx, site.Action, call.PrincipalID, d.CreatedAt)}, nil
			})
		},
	})
	if err != nil {
		return nil, unlessNotTaken(err)
	}
	return site, nil
}

// takesDocument checks that the caller may complete the action of a site with a
// document. It returns domain.ErrActionFinal for an action in a final state.
func takesDocument(site *persistence.ProcessActionSite) error {
	if err := site.Process.CheckMayManage(site.Rights); err != nil {
		return err
	}
	if site.Action == nil {
		return domain.NotFound("user action")
	}
	waits, err := site.Action.TakesDocument()
	if err == nil && !waits {
		err = domain.ErrActionFinal
	}
	return err
}

func unlessNotTaken(err error) error {
	if errors.Is(err, domain.ErrActionFinal) {
		return nil
	}
	return err
}
