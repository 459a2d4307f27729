package app

import "github.com/procession-dev/procession/domain"

// countOpened counts committed incidents.
func (s *Service) countOpened(kinds []domain.IncidentKind) {
	for _, opened := range kinds {
		for i, kind := range domain.IncidentKinds() {
			if kind == opened {
				s.opened[i].Add(1)
			}
		}
	}
}

// IncidentsOpened returns the number of incidents that this replica has opened, by kind.
func (s *Service) IncidentsOpened() map[domain.IncidentKind]int64 {
	counts := map[domain.IncidentKind]int64{}
	for i, kind := range domain.IncidentKinds() {
		counts[kind] = s.opened[i].Load()
	}
	return counts
}
