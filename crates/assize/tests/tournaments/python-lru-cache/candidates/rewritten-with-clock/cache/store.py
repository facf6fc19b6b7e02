"""Where the entries are."""

import itertools


class cacheEntry:
    def __init__(self, entryValue, usedAt):
        self.entryValue = entryValue
        self.usedAt = usedAt


class Cache:
    """Keeps at most `room` entries."""

    def __init__(self, room):
        if room <= 0:
            raise ValueError("room has to be at least 1")
        self.room = room
        self.entryTable = {}
        self.useCounter = itertools.count()

    def nextUse(self):
        return next(self.useCounter)

    def findOldest(self):
        oldestKey = None
        oldestUse = None
        for entryKey, entry in self.entryTable.items():
            if oldestUse is None or entry.usedAt < oldestUse:
                oldestKey = entryKey
                oldestUse = entry.usedAt
        return oldestKey

    def get(self, key, default=None):
        if key in self.entryTable:
            entry = self.entryTable[key]
            entry.usedAt = self.nextUse()
            return entry.entryValue
        return default

    def peek(self, key, default=None):
        if key in self.entryTable:
            return self.entryTable[key].entryValue
        return default

    def put(self, key, value):
        if key in self.entryTable:
            self.entryTable[key].entryValue = value
            self.entryTable[key].usedAt = self.nextUse()
            return
        while len(self.entryTable) >= self.room:
            del self.entryTable[self.findOldest()]
        self.entryTable[key] = cacheEntry(value, self.nextUse())

    def __len__(self):
        return len(self.entryTable)

    def __contains__(self, key):
        return key in self.entryTable
