/** A page of a list: so many rows, behind the row with this id. */
export type ListPage = { after: string | null; limit: number }
