package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.temporal.io/cloud-sdk/api/cloudservice/v1"
	"go.temporal.io/cloud-sdk/api/identity/v1"
	"go.temporal.io/cloud-sdk/api/operation/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// keyOverlap is the time for which a replaced key stays valid: workers renew theirs every hour.
	keyOverlap = 2 * time.Hour
	// keyCheck is the time between two comparisons of the keys of a worker with those in Temporal Cloud.
	keyCheck = 6 * time.Hour
	// listedDelay is the time after which a new key is missing in Temporal Cloud if it is not in the list of keys.
	listedDelay = 10 * time.Minute
	pageSize    = 1000
)

// keyring maintains the service account and the API keys of one worker. Steps that a crash interrupted are found in Temporal Cloud: a
// service account by its name, which contains the id of the worker, and a key because it is not recorded. Its secret is lost, so it
// is deleted.
type keyring struct {
	*Account

	db     *persistence.DB
	sealer *authn.Sealer
	worker persistence.CloudWorker
	now    func() time.Time
}

// reconcileKeys does the work that is due, and returns when to look again.
func (k *keyring) reconcileKeys(ctx context.Context) (due time.Time, err error) {
	if !k.worker.Entitled {
		return time.Time{}, k.removeWorker(ctx)
	}
	if err := k.ensureAccount(ctx); err != nil {
		return time.Time{}, err
	}
	recorded, err := k.db.Reader().ListCloudKeys(ctx, k.worker.ID)
	if err != nil {
		return time.Time{}, err
	}
	listed, err := k.listKeys(ctx)
	if err != nil {
		return time.Time{}, err
	}
	kept, err := k.deleteKeys(ctx, recorded, listed)
	if err != nil {
		return time.Time{}, err
	}
	half := k.o.KeyLifetime / 2
	now := k.now()
	if len(kept) == 0 || !now.Before(kept[0].ExpiresAt.Add(-half)) {
		created, err := k.createKey(ctx)
		if err != nil {
			return time.Time{}, err
		}
		kept = slices.Insert(kept, 0, created)
	}
	due = now.Add(keyCheck)
	for i, key := range kept {
		next := key.ExpiresAt.Add(-half)
		if i > 0 {
			next = kept[i-1].CreatedAt.Add(keyOverlap)
		}
		if next.Before(due) {
			due = next
		}
	}
	return due, nil
}

// accountName is the name of the worker's service account, unique in the account.
func (k *keyring) accountName() string { return "procession-" + k.worker.ID.String() }

// ensureAccount creates the service account unless it exists.
func (k *keyring) ensureAccount(ctx context.Context) error {
	if k.worker.AccountID != "" {
		return nil
	}
	_, err := k.applyChange(ctx, "creating a service account", k.worker.ID.String(), func(id string) (*operation.AsyncOperation, error) {
		answer, err := k.service.CreateServiceAccount(ctx, &cloudservice.CreateServiceAccountRequest{AsyncOperationId: id, Spec: &identity.ServiceAccountSpec{
			Name: k.accountName(), Description: "Worker " + k.worker.PrincipalID.String() + " of Procession",
			NamespaceScopedAccess: &identity.NamespaceScopedAccess{
				Namespace: k.worker.Namespace, Access: &identity.NamespaceAccess{Permission: identity.NamespaceAccess_PERMISSION_WRITE},
			},
		}})
		return answer.GetAsyncOperation(), err
	})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	account, err := k.findAccount(ctx)
	if err != nil {
		return err
	}
	if account == nil {
		return fmt.Errorf("the service account %s is not listed yet", k.accountName())
	}
	k.worker.AccountID = account.GetId()
	return k.db.SetCloudAccount(ctx, k.worker, account.GetId())
}

// findAccount returns the service account of the worker, nil if there is none.
func (k *keyring) findAccount(ctx context.Context) (*identity.ServiceAccount, error) {
	for token := ""; ; {
		page, err := k.service.GetServiceAccounts(ctx, &cloudservice.GetServiceAccountsRequest{PageSize: pageSize, PageToken: token})
		if err != nil {
			return nil, explainError(err, "listing service accounts")
		}
		for _, account := range page.GetServiceAccount() {
			if account.GetSpec().GetName() == k.accountName() {
				return account, nil
			}
		}
		if token = page.GetNextPageToken(); token == "" {
			return nil, nil //nolint:nilnil // there need not be one
		}
	}
}

// listKeys returns the keys of the service account.
func (k *keyring) listKeys(ctx context.Context) ([]*identity.ApiKey, error) {
	var keys []*identity.ApiKey
	for token := ""; ; {
		page, err := k.service.GetApiKeys(ctx, &cloudservice.GetApiKeysRequest{
			PageSize: pageSize, PageToken: token, OwnerId: k.worker.AccountID, OwnerType: identity.OwnerType_OWNER_TYPE_SERVICE_ACCOUNT,
		})
		if err != nil {
			return nil, explainError(err, "listing the API keys of a service account")
		}
		keys = append(keys, page.GetApiKeys()...)
		if token = page.GetNextPageToken(); token == "" {
			return keys, nil
		}
	}
}

// deleteKeys deletes keys that are revoked, replaced, expired or not recorded, and returns the remaining ones, the newest first.
func (k *keyring) deleteKeys(
	ctx context.Context, recorded []persistence.CloudKey, listed []*identity.ApiKey,
) (kept []persistence.CloudKey, err error) {
	now, keep := k.now(), map[string]bool{}
	for _, key := range recorded {
		isListed := slices.ContainsFunc(listed, func(l *identity.ApiKey) bool { return l.GetId() == key.ID })
		replaced := len(kept) > 0 && !now.Before(kept[len(kept)-1].CreatedAt.Add(keyOverlap))
		missing := !isListed && !now.Before(key.CreatedAt.Add(listedDelay))
		if key.Revoked || replaced || missing || !now.Before(key.ExpiresAt) {
			continue
		}
		keep[key.ID] = true
		kept = append(kept, key)
	}
	for _, key := range listed {
		if !keep[key.GetId()] {
			if err := k.deleteKey(ctx, key); err != nil {
				return nil, err
			}
		}
	}
	for _, key := range recorded {
		if !keep[key.ID] {
			if err := k.db.DeleteCloudKey(ctx, key.ID); err != nil {
				return nil, err
			}
		}
	}
	return kept, nil
}

func (k *keyring) deleteKey(ctx context.Context, key *identity.ApiKey) error {
	_, err := k.applyChange(ctx, "deleting an API key", key.GetId()+key.GetResourceVersion(), func(id string) (*operation.AsyncOperation, error) {
		answer, err := k.service.DeleteApiKey(ctx, &cloudservice.DeleteApiKeyRequest{
			KeyId: key.GetId(), ResourceVersion: key.GetResourceVersion(), AsyncOperationId: id,
		})
		return answer.GetAsyncOperation(), err
	})
	if status.Code(err) == codes.NotFound {
		return nil
	}
	return err
}

// createKey creates a key. Its secret is in the answer to this call only: a key of an earlier call without a record was deleted.
func (k *keyring) createKey(ctx context.Context) (persistence.CloudKey, error) {
	now := k.now()
	key := persistence.CloudKey{CreatedAt: now, ExpiresAt: now.Add(k.o.KeyLifetime)}
	generation := strconv.Itoa(k.worker.Generation)
	var secret domain.Secret
	joined, err := k.applyChange(ctx, "creating an API key", k.worker.ID.String()+generation, func(id string) (*operation.AsyncOperation, error) {
		answer, err := k.service.CreateApiKey(ctx, &cloudservice.CreateApiKeyRequest{AsyncOperationId: id, Spec: &identity.ApiKeySpec{
			OwnerId: k.worker.AccountID, OwnerType: identity.OwnerType_OWNER_TYPE_SERVICE_ACCOUNT,
			DisplayName: "procession-" + generation, ExpiryTime: timestamppb.New(key.ExpiresAt),
		}})
		key.ID, secret = answer.GetKeyId(), domain.NewSecret(answer.GetToken())
		return answer.GetAsyncOperation(), err
	})
	switch {
	case status.Code(err) == codes.NotFound:
		// The service account was deleted by other means.
		return key, errors.Join(err, k.db.SetCloudAccount(ctx, k.worker, ""))
	case err != nil:
		return key, err
	case joined:
		return key, errLostKey
	}
	return key, k.db.InsertCloudKey(ctx, k.worker, key, k.sealer.Seal(persistence.CloudKeyPurpose, key.ID, []byte(secret.Reveal())))
}

// removeWorker deletes the service account, with its keys, and the record of the worker.
func (k *keyring) removeWorker(ctx context.Context) error {
	account, err := k.findAccount(ctx)
	if err != nil {
		return err
	}
	if account != nil {
		k.worker.AccountID = account.GetId()
		listed, err := k.listKeys(ctx)
		if err != nil {
			return err
		}
		if _, err := k.deleteKeys(ctx, nil, listed); err != nil {
			return err
		}
		if err := k.deleteAccount(ctx, account); err != nil {
			return err
		}
	}
	return k.db.DeleteCloudWorker(ctx, k.worker)
}

func (k *keyring) deleteAccount(ctx context.Context, account *identity.ServiceAccount) error {
	subject := account.GetId() + account.GetResourceVersion()
	_, err := k.applyChange(ctx, "deleting a service account", subject, func(id string) (*operation.AsyncOperation, error) {
		answer, err := k.service.DeleteServiceAccount(ctx, &cloudservice.DeleteServiceAccountRequest{
			ServiceAccountId: account.GetId(), ResourceVersion: account.GetResourceVersion(), AsyncOperationId: id,
		})
		return answer.GetAsyncOperation(), err
	})
	return err
}
