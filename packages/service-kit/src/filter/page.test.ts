import { pageMeta } from './page';

test.each([
  [
    { total: 0, page: 1, limit: 50, offset: 0 },
    { totalItemCount: 0, totalPageCount: 0 },
  ],
  [
    { total: 101, page: 1, limit: 50, offset: 0 },
    { totalPageCount: 3, nextPage: 2, previousPage: undefined },
  ],
  [
    { total: 101, page: 3, limit: 50, offset: 0 },
    { nextPage: undefined, previousPage: 2, currentPage: 3 },
  ],
  [
    { total: 101, page: 9, limit: 50, offset: 0 },
    { nextPage: undefined, previousPage: 3 },
  ],
  [
    { total: 101, page: 1, limit: 50, offset: 60 },
    { totalItemCount: 101, totalPageCount: 1, nextPage: undefined },
  ],
  [
    { total: 100, page: 2, limit: 50, offset: 0 },
    { totalPageCount: 2, nextPage: undefined, itemsPerPage: 50 },
  ],
])('%j', (given, expected) => {
  expect(pageMeta(given)).toMatchObject(expected);
});
