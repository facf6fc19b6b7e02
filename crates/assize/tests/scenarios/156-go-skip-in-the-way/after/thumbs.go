package thumbs

import "sync"

const workers = 4

// All makes thumbnails.
func All(names []string, thumb func(string) string) []string {
	jobs := make(chan string)
	var mu sync.Mutex
	var wait sync.WaitGroup
	out := make([]string, 0, len(names))
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for name := range jobs {
				made := thumb(name)
				mu.Lock()
				out = append(out, made)
				mu.Unlock()
			}
		}()
	}
	for _, name := range names {
		jobs <- name
	}
	close(jobs)
	wait.Wait()
	return out
}
