package debug

import (
	"slices"

	"github.com/futoin-go/asyncsteps/cron"
)

type jobTable struct {
	name string
	*cron.Table
}

// Jobs shows the jobs of t under a name, in place of the table that had the name. A nil t only removes that table. With
// [Options.Control] people can run its jobs from a page, by [cron.Table.RunNow]. Pages call the Error methods of the errors of
// rounds, which must not block.
func (h *Handler) Jobs(name string, t *cron.Table) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tables = slices.DeleteFunc(h.tables, func(known jobTable) bool { return known.name == name })
	if t != nil {
		h.tables = append(h.tables, jobTable{name, t})
	}
}

func (h *Handler) jobs() []jobTable {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.tables)
}
