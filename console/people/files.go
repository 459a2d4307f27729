package people

import (
	"cmp"
	"io"
	"mime/multipart"
	"net/url"
	"slices"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// maxFields bounds the fields before a file, and maxField each of them in bytes.
	maxFields = 10
	maxField  = 1 << 10
)

// choice is a field of a form and its options.
type choice struct {
	Name, Text string
	Values     []string
}

// assetChoices returns the options for a new asset. The source package has no type.
func assetChoices() []choice {
	return []choice{
		{"type", ui.Text("Kind of file"), []string{"", "PYTHON", "PYTHON_PIP", "NODEJS"}},
		{"platform", ui.Text("Platform"), []string{"LINUX", "WINDOWS", "MAC_OS"}},
		{"architecture", ui.Text("Architecture"), []string{"X86_64", "X86_32"}},
	}
}

// assetOf reads which file of a robot is meant: without a type its source package.
func assetOf(fields url.Values) (domain.RobotAssetKey, error) {
	if fields.Get("type") == "" {
		return domain.RobotAssetKey{}, nil
	}
	for _, c := range assetChoices() {
		if value := fields.Get(c.Name); value == "" || !slices.Contains(c.Values, value) {
			return domain.RobotAssetKey{}, domain.Invalid(domain.LocationBody, c.Name, "is none that there is")
		}
	}
	return domain.RobotAssetKey{
		Type: domain.RobotAssetType(fields.Get("type")), Version: fields.Get("version"),
		Platform: domain.RobotAssetPlatform(fields.Get("platform")), Architecture: domain.RobotAssetArchitecture(fields.Get("architecture")),
	}, nil
}

// UploadFile stores the source package of a robot or an asset of it, while the browser sends it.
func (s *Screens) UploadFile(v *web.Visit) (*web.Answer, error) {
	key, err := resources.KeyOf(v, []resource.Kind{resource.KindRobot})
	if err != nil {
		return nil, err
	}
	return s.showResult(v, key, s.uploadFile(v, key))
}

func (s *Screens) uploadFile(v *web.Visit, key resource.Key) error {
	parts, err := v.MultipartReader()
	if err != nil {
		return domain.Invalid(domain.LocationBody, "", "the form cannot be read")
	}
	fields, file, err := untilFile(parts)
	if err != nil {
		return err
	}
	asset, err := assetOf(fields)
	if err != nil {
		return err
	}
	_, err = s.Administration.UploadRobotFile(v.Context(), v.Call, key, asset, storage.File{
		Name: file.FileName(), ContentType: cmp.Or(file.Header.Get("Content-Type"), "application/octet-stream"), Body: file,
	})
	return err
}

// untilFile reads the fields of a form that come before its file.
func untilFile(parts *multipart.Reader) (url.Values, *multipart.Part, error) {
	fields := url.Values{}
	for range maxFields {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		if part.FormName() == "file" && part.FileName() != "" {
			return fields, part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil || len(text) > maxField {
			break
		}
		fields.Add(part.FormName(), string(text))
	}
	return nil, nil, domain.Invalid(domain.LocationBody, "file", "choose a file")
}

// DeleteFile takes the source package or an asset away from a robot.
func (s *Screens) DeleteFile(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v, resource.KindRobot)
	if err != nil {
		return nil, err
	}
	asset, err := assetOf(form)
	if err == nil {
		err = s.Administration.DeleteRobotFile(v.Context(), v.Call, key, asset)
	}
	return s.showResult(v, key, err)
}
