package tool

// Handle names one scheduled callback of one loop. The zero Handle names none.
//
// Handles are comparable and cheap to keep: a Handle keeps nothing alive. It is void once its
// callback has begun or was cancelled, and a loop issues each Handle only once. It means something
// only to the loop that issued it.
type Handle uint64
