package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
)

// Backup writes a copy of the file, as it is at this moment, to a new file at path. Runs go on meanwhile. The copy is compact, and
// can be opened like any other file. Its runs then go on from the moment of the backup: what their bodies have done since is done
// again, under the same keys. Backup fails if there is a file at path that isn't empty. If ctx ends first, the file at path is not
// usable.
func (f *File) Backup(ctx context.Context, path string) error {
	if ctx == nil {
		return errNoContext
	}
	if f.ends() {
		return errClosed
	}
	to, err := filepath.Abs(path) // "" and names such as file:x have a meaning of their own for SQLite
	if err == nil {
		_, err = f.db.ExecContext(ctx, "VACUUM INTO ?", to)
	}
	if err != nil {
		return fmt.Errorf("durable/sqlite: the backup to %s: %w", path, err)
	}
	return nil
}
