/** The words of the merchant's console, in English. They define what the other language has to say. */

import type { MerchantRole } from '../../domain/people/person.ts'
import { sharedWords } from '../staff/shared-words.ts'

export const en = {
  ...sharedWords.en,
  groups: { payments: 'Payments', integration: 'Integration', account: 'Account' },
  sections: {
    overview: 'Overview',
    deposits: 'Deposits',
    callbacks: 'Callbacks',
    endpoints: 'Endpoints',
    keys: 'Keys',
    limits: 'Limits',
    bank: 'Test bank',
    people: 'People',
    settings: 'Settings',
  },
  roles: { viewer: 'Viewer', developer: 'Developer', owner: 'Owner' } satisfies Record<MerchantRole, string>,
  needs: (role: string) => `To change this you need the role “${role}” or higher.`,
  range: (least: number, most: number) => `${least} to ${most}.`,
  cancel: 'Cancel',
  merchantId: 'Merchant ID',
  yes: 'Yes',
  no: 'No',
  act: 'Action',
  guide: 'the guide',

  deposits: {
    state: 'State',
    method: 'Method',
    time: 'Time',
    order: 'Order',
    amount: 'Amount',
  },

  keys: {
    text: 'Your server signs every request with one of these keys. A secret is shown only once, when it is created.',
    id: 'Key ID',
    made: 'Created',
    literal: 'literal',
    ends: 'Expires',
    ended: 'Expired',
    live: 'Active',
    v2: 'Signatures',
    v2Only: 'v2 only',
    offer: (key: string, days: number) =>
      `All requests with ${key} in the last ${days} days were signed with v2. If you accept v2 only, a stolen literal-signed request becomes useless. You can change this back at any time.`,
    secret: 'Secret',
    done: 'I saved it',
    copy: 'Copy',
    copied: 'Copied',
  },

  branding: {
    title: 'Branding',
    text: 'Your logo and colour on the payment page show customers that they are paying you.',
    form: 'Colour and logo',
    logo: 'Logo',
    logoHint: (kilobytes: number, side: number) =>
      `PNG, at most ${kilobytes} KB and ${side} × ${side} pixels. We redraw it to fit the page.`,
    remove: 'Remove logo',
    colour: 'Colour',
    colourHint: 'For example #d6336c. Empty means our default.',
    picker: 'Choose colour',
    preview: 'Preview',
    previewText:
      'Updates as you choose; customers see it after you save. Text on the colour is white or black. A colour that would be hard to see is outlined or lightened.',
    themes: { light: 'Light theme', dark: 'Dark theme' },
    order: 'Order 1024',
    inLive:
      'This merchant is live: customers see the change immediately. It is saved in the audit log, and the operator is notified.',
  },

  bank: {
    text: 'Test transfers go through the same code as real ones: bank source, matching, confirmation, callback. No real money moves.',
    pay: 'Pay a deposit',
    payThis: 'Pay',
    payField: 'Deposit ID or order ID',
    what: 'Scenario',
    plays: {
      exact: 'Pay the exact amount',
      less: 'Pay half',
      more: 'Overpay by 10%',
      late: 'Pay after the deadline',
      twice: 'Pay twice',
      reject: 'Reject the deposit',
    } as Record<string, string>,
    go: 'Run scenario',
    recent: 'Latest deposits',
    time: 'Move the test clock',
    timeText:
      'Brings the deadlines of your open deposits closer by this many minutes. Other merchants are not affected.',
    minutes: 'Minutes',
    unknown: 'You have no deposit with this ID.',
    emptyTitle: 'No deposits to pay yet',
    emptyText: 'Create one with your test key first:',
  },

  refused: {
    too_many_keys:
      'The limit of active keys is reached. Wait until one expires, or create a new one with an overlap of 0 days.',
    state_conflict: 'This is not possible in the current state.',
    already_exists: 'The same request is already waiting for a decision.',
    invalid_value: 'The value is not valid.',
    rate_limited: 'Too many requests. Try again later.',
  } as Record<string, string>,

  notices: {
    saved: sharedWords.en.saved,
    v2: 'Key changed.',
    played: 'Scenario started. Check the deposit.',
    time: 'Test clock moved. Expired deposits close within a second.',
    branding: 'Branding saved. The payment page has the new look.',
    logoRemoved: 'Logo removed from the payment page.',
    returns: 'The new return URLs are in effect.',
    returnsAsked: 'Return URL change requested. The operator decides.',
    returnsWithdrawn: 'Return URL request withdrawn.',
    ended: 'Access removed.',
    invitationWithdrawn: 'Invitation withdrawn. Its link no longer works.',
    withdrawn: 'URL request withdrawn.',
  } as Record<string, string>,
}

export type ConsoleWords = typeof en
