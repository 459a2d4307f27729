package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/holidays"
	"github.com/procession-dev/procession/internal/manifest"
)

// maxHolidayYears is the maximum number of years of an import.
const maxHolidayYears = 10

func newCalendarsCommand(env Environment) *cobra.Command {
	return newGroup("calendars", "Import holidays into calendars of working time", newCalendarsImportCommand(env))
}

func newCalendarsImportCommand(env Environment) *cobra.Command {
	var tenant, reason string
	var years int
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "import CODE FILE", Short: "Add the whole days of an iCalendar file to the holidays of a calendar",
		Long: "Adds the whole days of an iCalendar file (.ics) to the holidays of a calendar, - reads standard input. Recurrences count from\n" +
			"the beginning of this year on. Events with a time of day are left out, and days that the calendar has are kept.",
		Example:           "  procession calendars import OFFICE holidays.ics --years 3",
		Args:              requireArgs("the code of a calendar", "a file"),
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindCalendar, cobra.ShellCompDirectiveDefault),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		if years < 1 || years > maxHolidayYears {
			return usageError("--years must be between 1 and %d", maxHolidayYears)
		}
		days, err := readHolidays(cmd, args[1], years)
		if err != nil {
			return err
		}
		found, err := s.retrieveResource(cmd.Context(), resource.KindCalendar, args[0], tenant)
		if err != nil {
			return err
		}
		return importHolidays(cmd, s, found, days, reason)
	})
	cmd.Flags().IntVar(&years, "years", 5, "how many `years`, this one included")
	bindTenant(env, cmd, &tenant)
	bindReason(cmd, &reason)
	return cmd
}

func readHolidays(cmd *cobra.Command, name string, years int) ([]resource.CalendarHoliday, error) {
	source := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the user names it
		if err != nil {
			return nil, usageError("the file cannot be read: %v", err)
		}
		defer func() { _ = file.Close() }()
		source = io.Reader(file)
	}
	from := time.Date(time.Now().Year(), 1, 1, 0, 0, 0, 0, time.UTC) //nolint:forbidigo // the clock of the command
	days, err := holidays.Read(source, from, from.AddDate(years, 0, 0))
	if err != nil {
		return nil, usageError("%v", err)
	}
	found := make([]resource.CalendarHoliday, len(days))
	for i, day := range days {
		found[i] = resource.CalendarHoliday{Date: day.Date.Format(time.DateOnly), Name: day.Name}
	}
	return found, nil
}

// importHolidays adds holidays to a calendar and applies it.
func importHolidays(cmd *cobra.Command, s *service, found oasadmin.Resource, days []resource.CalendarHoliday, reason string) error {
	var spec resource.CalendarSpec
	if err := json.Unmarshal(found.Spec, &spec); err != nil {
		return fmt.Errorf("reading the calendar: %w", err)
	}
	added := spec.AddHolidays(days)
	if added == 0 {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s has all of %s\n", found.Metadata.Code, domain.CountText(len(days), "day", "days"))
		return err
	}
	var err error
	if found.Spec, err = jsontext.Marshal(spec); err != nil {
		return err
	}
	encoded, err := jsontext.Marshal(exportedOf(found))
	if err != nil {
		return err
	}
	text, err := manifest.Format(encoded)
	if err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	file, err := os.CreateTemp("", "procession-"+found.Metadata.Code+"-*.yaml")
	if err != nil {
		return fmt.Errorf("making a file to apply: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", file.Name(), err)
	}
	if _, err := (&applyFlags{files: []string{file.Name()}, reason: reason}).apply(cmd, s, false); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s added to %s\n", domain.CountText(added, "holiday", "holidays"), found.Metadata.Code)
	return err
}
