// Package artifacts is the screens of business artifacts.
package artifacts
