package wasm

// end is called when the run has ended. It gives the instance back when the roots that the guest has made have ended too.
func (i *instance) end() {
	i.leaving = true
	i.ended()
}

// ended is called when the run or a root has ended. Once the run has ended, it ends what the run has left behind, and gives the instance
// back if no root executes any more. Another run may have the instance when ended returns.
func (i *instance) ended() {
	if !i.leaving || i.tidying {
		return
	}
	i.tidying = true
	for err := i.shielded(i.clean); err != nil; err = i.shielded(i.clean) {
		i.tool.Host().Report(err)
	}
	i.tidying = false
	if len(i.roots) > 0 {
		return // the last root to be released calls ended
	}
	i.unlockAll()
	if i.calm != nil {
		i.calm()
	}
	i.mod.watch.end(i.sight)
	ctx := i.until
	i.tool, i.until, i.sight, i.calm, i.leaving = nil, nil, nil, nil, false
	i.mod.give(ctx, i)
}

// clean ends what the run has left behind: tasks and roots and, unless a root is still executing, variables and values. Cleanups of the
// guest may make something new, which clean ends too.
func (i *instance) clean() {
	for left := true; left; {
		i.cancelTasks()
		i.abandonRoots()
		if len(i.roots) > 0 {
			return
		}
		left = len(i.vars) > 0 || len(i.lents) > 0 || i.info != 0
		vars := i.vars
		i.vars = nil
		for _, v := range vars {
			i.dropVariable(v)
		}
		for l := range i.lents {
			_ = l.value.Reset() // Reset calls Release of l
		}
		i.setInfo("")
	}
}

// abandonRoots abandons all roots, including those that cleanups make meanwhile.
func (i *instance) abandonRoots() {
	for more := true; more; {
		more = false
		for r := range i.roots {
			more = more || !r.freed
			r.abandon()
		}
	}
}
