// Package corpus tests schemas and cases that others have published. "make corpus" fetches the packages in packages.lock;
// without them the tests are skipped.
package corpus
