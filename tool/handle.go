package tool

// Handle names one scheduled callback of one loop. The zero Handle names none.
//
// Handles are comparable and cheap to keep: a Handle keeps nothing alive. Once its callback has begun or was
// cancelled, a Handle is void for ever, because a loop never issues the same Handle twice. It means something
// only to the loop that issued it.
type Handle uint64
