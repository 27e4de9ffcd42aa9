/** A page of a list: so many rows after the row with this id. */
export type ListPage = { after: string | null; limit: number }
