//! A set of integers below 2³², the names of nodes, that takes little next to them, and the places of its members.

/// Members of a page that are listed; more of them take a bit for each integer of the page, which is as much.
const LISTED: usize = 4096;
/// Words of a page of bits, and of the stretches of it whose members are counted.
const WORDS: usize = 1 << 10;
const STRETCH: usize = 8;

/// The set: the integers of a page share their upper 16 bits. It takes two bytes a member or, where members are close, less.
#[derive(Default)]
pub(in crate::data::network) struct NodeSet {
    pages: Vec<Page>,
    members: u64,
}

enum Page {
    /// Ascending.
    Few(Vec<u16>),
    Many(Box<[u64]>),
}

impl Page {
    fn each(&self, mut take: impl FnMut(u32)) {
        match self {
            Self::Few(list) => list.iter().for_each(|&low| take(low.into())),
            Self::Many(bits) => {
                for (at, &word) in bits.iter().enumerate() {
                    let mut word = word;
                    while word > 0 {
                        take(64 * at as u32 + word.trailing_zeros());
                        word &= word - 1;
                    }
                }
            }
        }
    }
}

impl NodeSet {
    #[inline]
    pub(in crate::data::network) fn insert(&mut self, id: u32) {
        let (page, low) = ((id >> 16) as usize, id as u16);
        match self.pages.get_mut(page) {
            Some(Page::Many(bits)) => {
                let word = &mut bits[usize::from(low >> 6)];
                let with = *word | 1 << (low & 63);
                self.members += u64::from(with != *word);
                *word = with;
            }
            _ => self.insert_listed(page, low),
        }
    }

    fn insert_listed(&mut self, page: usize, low: u16) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || Page::Few(Vec::new()));
        }
        let page = &mut self.pages[page];
        let Page::Few(list) = page else { return };
        let Err(place) = list.binary_search(&low) else { return };
        self.members += 1;
        if list.len() < LISTED {
            list.insert(place, low);
            return;
        }
        let mut bits = vec![0; WORDS];
        for low in list.iter().chain([&low]) {
            bits[usize::from(low >> 6)] |= 1 << (low & 63);
        }
        *page = Page::Many(bits.into());
    }

    /// Number of members.
    pub(in crate::data::network) fn len(&self) -> u64 {
        self.members
    }

    /// Bytes that the set and the table of places take, with what an allocator keeps in addition to small blocks.
    pub(in crate::data::network) fn bytes(&self) -> usize {
        let page = |page: &Page| match page {
            Page::Few(list) => 2 * list.capacity() + 48,
            Page::Many(_) => 8 * WORDS + 2 * WORDS / STRETCH,
        };
        let table = size_of::<Page>() + size_of::<Vec<u16>>() + size_of::<u32>();
        table * self.pages.capacity() + self.pages.iter().map(page).sum::<usize>()
    }

    /// Calls `take` with all members, ascending; what it returns as an error ends that.
    pub(in crate::data::network) fn each<E>(
        &self,
        mut take: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut result = Ok(());
        for (page, high) in self.pages.iter().zip(0_u32..) {
            page.each(|low| {
                if result.is_ok() {
                    result = take(high << 16 | low);
                }
            });
        }
        result
    }

    /// The places of members among all, ascending.
    pub(in crate::data::network) fn places(self) -> Places {
        let mut before = 0_u64;
        let mut begins = Vec::with_capacity(self.pages.len());
        let mut stretches = Vec::with_capacity(self.pages.len());
        for page in &self.pages {
            begins.push(before as u32);
            let (mut counts, mut count) = (Vec::new(), 0_u32);
            match page {
                Page::Few(list) => count = list.len() as u32,
                Page::Many(bits) => {
                    counts.reserve_exact(WORDS / STRETCH);
                    for stretch in bits.chunks(STRETCH) {
                        // The last stretch begins below 2¹⁶.
                        counts.push(count as u16);
                        count += stretch.iter().map(|word| word.count_ones()).sum::<u32>();
                    }
                }
            }
            stretches.push(counts);
            before += u64::from(count);
        }
        Places { set: self, begins, stretches }
    }
}

/// A set that is whole, with the place of every member.
pub(in crate::data::network) struct Places {
    pub(in crate::data::network) set: NodeSet,
    /// Members before each page.
    begins: Vec<u32>,
    /// Members of a page of bits before each stretch.
    stretches: Vec<Vec<u16>>,
}

impl Places {
    /// The place of a member; none for what is no member.
    #[inline]
    pub(in crate::data::network) fn rank(&self, id: u32) -> Option<u32> {
        let (page, low) = ((id >> 16) as usize, id as u16);
        let within = match self.set.pages.get(page)? {
            Page::Few(list) => list.binary_search(&low).ok()? as u32,
            Page::Many(bits) => {
                let (word, bit) = (usize::from(low >> 6), 1 << (low & 63));
                if bits[word] & bit == 0 {
                    return None;
                }
                let first = word / STRETCH * STRETCH;
                let whole: u32 = bits[first..word].iter().map(|word| word.count_ones()).sum();
                u32::from(self.stretches[page][word / STRETCH])
                    + whole
                    + (bits[word] & (bit - 1)).count_ones()
            }
        };
        Some(self.begins[page] + within)
    }

    /// The member at a place; 0 where there is none. For messages: it looks through all pages.
    pub(in crate::data::network) fn member(&self, place: u32) -> u32 {
        let page = self.begins.partition_point(|&begin| begin <= place).saturating_sub(1);
        let (mut at, mut found) = (self.begins.get(page).copied().unwrap_or(0), 0);
        if let Some(members) = self.set.pages.get(page) {
            members.each(|low| {
                if at == place {
                    found = (page as u32) << 16 | low;
                }
                at += 1;
            });
        }
        found
    }

    /// Whether the members are `0..n`.
    pub(in crate::data::network) fn is_numbered(&self) -> bool {
        let n = self.set.len();
        n == 0 || (n <= 1 << 32 && self.member((n - 1) as u32) == (n - 1) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn members_are_found_at_their_places() {
        let mut state = 5_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) % below
        };
        for (count, range) in
            [(0, 1), (1, 1), (9000, 10_000), (9000, 70_000), (30_000, 200_000), (3000, 1 << 32)]
        {
            let (mut set, mut known) = (NodeSet::default(), BTreeSet::new());
            for _ in 0..count {
                let id = random(range) as u32;
                set.insert(id);
                known.insert(id);
            }
            if range == 1 << 32 {
                for id in [0, u32::MAX, 65_535, 65_536] {
                    set.insert(id);
                    known.insert(id);
                }
            }
            assert_eq!(set.len(), known.len() as u64);
            assert!(set.bytes() <= 8 * known.len() + 256 * (1 + (range as usize >> 16)) + (1 << 15));
            let mut listed = Vec::new();
            set.each(|id| {
                listed.push(id);
                Ok::<(), ()>(())
            })
            .unwrap();
            assert!(listed.iter().eq(&known));
            let numbered = known.iter().zip(0..).all(|(&id, at)| id == at);
            let places = set.places();
            assert_eq!(places.is_numbered(), numbered);
            for (&id, place) in known.iter().zip(0..) {
                assert_eq!((places.rank(id), places.member(place)), (Some(place), id));
                let next = id.wrapping_add(1);
                assert_eq!(places.rank(next).is_some(), known.contains(&next));
            }
            assert_eq!(places.rank(1 << 31).is_some(), known.contains(&(1 << 31)));
        }
        let mut all = NodeSet::default();
        (0..200_000).for_each(|id| all.insert(id));
        assert!(all.places().is_numbered());
    }
}
