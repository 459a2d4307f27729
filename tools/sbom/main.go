// Command sbom writes a software bill of materials for each Go binary that it
// is given: the modules that the linker recorded in it, as CycloneDX JSON. With
// -notice it writes the modules and npm packages of a release with their licences.
//
//	go run ./tools/sbom -dir dist bin/procession bin/loan-worker
//	go run ./tools/sbom -notice NOTICE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	dir := flag.String("dir", "dist", "directory of the bills, each named after its binary")
	notice := flag.String("notice", "", "file of the modules and packages of a release with their licences")
	check := flag.Bool("check", false, "with -notice: change nothing; fail when the file is not current")
	flag.Parse()
	if *notice != "" {
		if err := updateNotice(context.Background(), *notice, *check); err != nil {
			fmt.Fprintln(os.Stderr, "sbom:", err)
			os.Exit(1)
		}
		return
	}
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "sbom: name at least one binary")
		os.Exit(2)
	}
	for _, binary := range flag.Args() {
		path, err := writeBill(*dir, binary)
		if err != nil {
			fmt.Fprintln(os.Stderr, "sbom:", err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}

// writeBill writes the bill of a binary into dir and returns its path. The same
// binary makes the same bill.
func writeBill(dir, binary string) (path string, err error) {
	bom, err := describeBinary(binary)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a bill is no secret
		return "", fmt.Errorf("making the directory of the bills: %w", err)
	}
	path = filepath.Join(dir, filepath.Base(binary)+".cdx.json")
	file, err := os.Create(path) //nolint:gosec // the directory is the user's choice
	if err != nil {
		return "", fmt.Errorf("writing a bill: %w", err)
	}
	encoder := cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON)
	if err := encoder.SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		_ = file.Close()
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	return path, nil
}
