package coll

// Stack is last in, first out.
type Stack struct{ items []int }

// Push puts an item on top.
func (s *Stack) Push(item int) { s.items = append(s.items, item) }

// Queue is first in, first out.
type Queue struct{ items []int }

// Empty returns whether nothing waits.
func (q *Queue) Empty() bool { return len(q.items) == 0 }
