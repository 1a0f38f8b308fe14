//! What stays in its order from one sequence to the next.

/// Of each sequence, which elements are not part of the longest one that both share.
pub(crate) fn moved<T: PartialEq>(before: &[T], now: &[T]) -> [Vec<usize>; 2] {
    let same = |(one, other): &(&T, &T)| one == other;
    let head = before.iter().zip(now).take_while(same).count();
    let tail = before[head..].iter().rev().zip(now[head..].iter().rev());
    let tail = tail.take_while(same).count();
    let (old, new) = (&before[head..before.len() - tail], &now[head..now.len() - tail]);
    // The length of what both share from here on.
    let width = new.len() + 1;
    let mut shared = vec![0_u32; (old.len() + 1) * width];
    for (row, one) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let below = shared[(row + 1) * width + column].max(shared[row * width + column + 1]);
            let both = shared[(row + 1) * width + column + 1] + 1;
            shared[row * width + column] = if one == other { both } else { below };
        }
    }
    let (mut lost, mut gained) = (Vec::new(), Vec::new());
    let (mut row, mut column) = (0, 0);
    while row < old.len() || column < new.len() {
        if row < old.len() && column < new.len() && old[row] == new[column] {
            (row, column) = (row + 1, column + 1);
        } else if column == new.len()
            || (row < old.len() && shared[(row + 1) * width + column] >= shared[row * width + column + 1])
        {
            lost.push(head + row);
            row += 1;
        } else {
            gained.push(head + column);
            column += 1;
        }
    }
    [lost, gained]
}
