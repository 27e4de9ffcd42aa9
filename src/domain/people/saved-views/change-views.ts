/** A person saves a filter under a name, or deletes it. */
import { bounds } from '../../../platform/bounds.ts'
import { newId } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { type Hooks, perform } from '../../audit/perform.ts'
import { message } from '../../messages/message.ts'
import { lockPerson } from '../store.ts'
import type { SavedView, ViewOwner } from './saved-view.ts'
import { deleteView, insertView, listViews } from './store.ts'

/** Replaces the view of the same name. */
export const saveView = (db: Db, owner: ViewOwner, view: Omit<SavedView, 'id'>, hooks?: Hooks) =>
  perform(db, hooks, async (tx) => {
    // Locked, so that two concurrent saves cannot exceed the limit.
    await lockPerson(tx, owner.personId)
    const others = (await listViews(tx, owner)).filter((other) => other.name !== view.name)
    if (others.length >= bounds.viewsOfList) throw new Refusal('too_many_views')
    await insertView(tx, owner, { id: newId(), ...view })
  })

export const dropView = (db: Db, owner: ViewOwner, id: string, hooks?: Hooks<{ name: string }>) =>
  perform(db, hooks, async (tx) => {
    const dropped = await deleteView(tx, owner, id)
    if (!dropped) throw new Refusal('not_found', { detail: message('no_such_view') })
    return dropped
  })
