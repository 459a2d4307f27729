package demo

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
)

//go:embed kyc-bot
var kycBot embed.FS

// RobotPackage returns the source package of the robot KYC_BOT, RobotRuntime its only asset. Both are
// reproducible ZIP archives: members are ordered, without times and not compressed.
func RobotPackage() ([]byte, error) { return zipFolder("kyc-bot/package") }

// RobotRuntime is described with RobotPackage.
func RobotRuntime() ([]byte, error) { return zipFolder("kyc-bot/runtime") }

func zipFolder(folder string) ([]byte, error) {
	files, err := fs.Sub(kycBot, folder)
	if err != nil {
		return nil, fmt.Errorf("archiving %s: %w", folder, err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		member, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		_, err = member.Write(content)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("archiving %s: %w", folder, err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("archiving %s: %w", folder, err)
	}
	return out.Bytes(), nil
}
