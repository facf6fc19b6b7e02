use matrix::{Error, Matrix};

fn matrix(rows: usize, columns: usize, numbers: &[i64]) -> Matrix {
    Matrix::new(rows, columns, numbers).expect("a matrix")
}

#[test]
fn numbers_are_where_they_belong() {
    let matrix = matrix(2, 3, &[1, 2, 3, 4, 5, 6]);
    assert_eq!((matrix.at(0, 2), matrix.at(1, 0)), (Some(3), Some(4)));
}

#[test]
fn edge_wrong_shapes_and_bounds() {
    assert_eq!(Matrix::new(2, 2, &[1, 2, 3]), Err(Error::Shape));
    assert_eq!(Matrix::new(usize::MAX, 2, &[]), Err(Error::Shape));
    assert_eq!(matrix(1, 2, &[1, 2]).at(0, 2), None);
}

#[test]
fn transposed() {
    let wide = matrix(2, 3, &[1, 2, 3, 4, 5, 6]);
    assert_eq!(wide.transpose(), matrix(3, 2, &[1, 4, 2, 5, 3, 6]));
    assert_eq!(wide.transpose().transpose(), wide);
}

#[test]
fn multiplied() {
    let wide = matrix(2, 3, &[1, 2, 3, 4, 5, 6]);
    let tall = matrix(3, 2, &[7, 8, 9, 10, 11, 12]);
    assert_eq!(wide.multiply(&tall), Ok(matrix(2, 2, &[58, 64, 139, 154])));
    assert_eq!(
        tall.multiply(&wide).map(|product| product.at(2, 2)),
        Ok(Some(105))
    );
}

#[test]
fn powers() {
    let step = matrix(2, 2, &[1, 1, 1, 0]);
    assert_eq!(step.power(10), Ok(matrix(2, 2, &[89, 55, 55, 34])));
    assert_eq!(step.power(1), Ok(step));
}

#[test]
fn edge_zero_power_is_the_identity() {
    assert_eq!(
        matrix(2, 2, &[5, 6, 7, 8]).power(0),
        Ok(matrix(2, 2, &[1, 0, 0, 1]))
    );
    assert_eq!(matrix(0, 0, &[]).power(0), Ok(matrix(0, 0, &[])));
}

#[test]
fn edge_maximum_power_is_quick() {
    let turn = matrix(2, 2, &[0, -1, 1, 0]);
    assert_eq!(turn.power(u32::MAX), Ok(matrix(2, 2, &[0, 1, -1, 0])));
    assert_eq!(matrix(1, 1, &[-1]).power(1 << 31), Ok(matrix(1, 1, &[1])));
}

#[test]
fn edge_empty_matrices() {
    let product = matrix(2, 0, &[]).multiply(&matrix(0, 3, &[]));
    assert_eq!(product, Ok(matrix(2, 3, &[0; 6])));
    assert_eq!(matrix(0, 3, &[]).transpose(), matrix(3, 0, &[]));
}

#[test]
fn error_for_shapes_that_do_not_fit() {
    let wide = matrix(1, 2, &[1, 2]);
    assert_eq!(wide.multiply(&wide), Err(Error::Shape));
    assert_eq!(wide.power(2), Err(Error::Shape));
    assert_eq!(wide.power(0), Err(Error::Shape));
}

#[test]
fn edge_overflow() {
    let large = matrix(1, 2, &[i64::MAX, 1]);
    assert_eq!(large.multiply(&matrix(2, 1, &[1, 1])), Err(Error::Overflow));
    assert_eq!(large.multiply(&matrix(2, 1, &[2, 0])), Err(Error::Overflow));
    assert_eq!(
        large.multiply(&matrix(2, 1, &[1, 0])),
        Ok(matrix(1, 1, &[i64::MAX]))
    );
    assert_eq!(matrix(1, 1, &[2]).power(62), Ok(matrix(1, 1, &[1 << 62])));
    assert_eq!(matrix(1, 1, &[2]).power(63), Err(Error::Overflow));
}
