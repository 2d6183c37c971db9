/** The mark as an image of 64 by 64, for mails: their clients draw no SVG and load nothing from elsewhere. */
export const markImage = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAAFpElEQVR42uVbe0xTVxjvP9t/WzLjXrb3sodsWXQzyjZdlmXskWzEAPeiqAtqYL',
    'qhY8vcO9myTM0ecYaNxWlcnA6nxCcLcm9LC4XicA4UeQTQAsNaKwyRV8FCebTf8h15jgr3Xm5vb9svuf/1nJ7f75zzvc73aTQihIudN5djqRSe',
    'pbJ5hq7kWcrBsVQfz9IQiO/Wf1OOkbVk6xkq2Ziom6ORWzhGF80zlDFQQEUTw1AmXPOsgevjdUt5hrIEC/ApH0NZEIO0XY/XsRxLDwQt+DESaD',
    'cXr10pDjxLpfEM5Q168OMnwcsx9PuCwPMMvSVkgE9VmpumBx9Pv8qxlCdUCeBZelDP6l73Cd4Yp5vPM7QzhMGPft16VvuYr3tfHAbgR3WCcRJ4',
    'Q4J2WdiAH1GKPENHjd99lsoJKwLIR+UQ8Kfi5t4VEvZetEWgBwwxc+7G3V8Tfrs/5jIzGo6hjgZqAWc+iYXGkz9Dp7Uc+tquAYq78zp01JWBo/',
    'A41Oz9HAyrI/15Dfai9q9SGnjlT1ug19EIQmTA2QHVuz/1lzIs1XAM3aoU8PzkxdDVUAlSpO1CEZjWL5J7TVfQ9XUrAb5o8wvkeM9GcLx547Oy',
    'BkoapXbfaasDOcR5uVbWdSlCwOXcfSCnoOIMGgIs77wI/hBLWnRwENBccko0OFeLDWz63+BGdQl4hwZ9/sZhORkEBKx4CIb6XbO645d+/+72lq',
    'GiGEq3JqmXgL+/XC169xHwpCuUFj3jmB67Fap2fQT6xEfVRUDd/q2iCcArM3GOsm1rRZlJa9ZOMK19Uh0ENJ7YJZqA4f6bBDSOR5uPekCs2PgD',
    '6iDAnp8lWcu7Wu3g9QyLGnOjqgSK33tZPVfg37N6UEJ67PVQtn29+pRg58XzfgVOAqU9n6nXCgy7+/xKAOoY1foBpz94ze9H//p5s3oJQE0sOu',
    'StsIAxaQGUfLxcUOTY396iTgLy3ngChvp6RRNQkf7u2Bwtf/GCxvAJEeojYDr3dTopfPu5sTk6aksFjcEToyoCEMSwu1+SRh+bJyECPAPC5jBv',
    'eEZdBHTVV0ja/SuGg5IUqPmtZeohwG6S6Pl5vVCY+rwkF9qwKlIdBFzM/FqyOcOM0eg8mAYf7O0WNA4VrSqsAIai0t1Y66QwtvbXrwSP7b3aEH',
    'gC0HRJla7GKpIqH53LvHEpDLmcwvWG8VBgCcAHC6/XKxq4Z9BNjr1+5SPjR39VJDkNYqR8R2rgCKg/ki4h1nfBP3/sgfzkJZPmwgSGFOshJvEh',
    'KwE2fabPBQ32dMKFnZtJQuPSwW+h/sgPUHdgG5RtX0ceRvQrHvaZNcbYX6w4ik4EICmaEDFtlneiLZ/pM617ipwGKRGj1+MhhCpOAEZf00nruQ',
    'JhwLN3zypUthsPK/swkrfmcegQmNzA43zNkg0NxzLIFWjK2QvNJbnkCRyjN/B4ZhUCdzfVgCFxvrIESElM+kP6O1qh4M2nlX8b7G6svuV5uZxk',
    'ETebm8DZVEMiNozhMXRFpWQzZJJ7jU/Zckuvo0Hel+EJBHT7IySu+eUL2cC315wFY9JCv9QMYoGE1Z81AVfNRyUDx7KZivQ0P9YI0VZFCiQLUq',
    'Kg4diPgu19W+VpEl8oUDtcjM0QGUrWB/35YQxYs74nPkPLGY48ZqD+sB7eAee+SZHFuxN+AnQZGiweDtcyOVI4fTxRc6dSdUJqK5ouj9LcMdIj',
    'EDz9QLKXyo7UCi8MrzJZajg3ll7wv86wwFWMBqBaPHNKv4CJvf8+LBwMg/pguyHmgXt9do3kJjy4BNtKQrllxhA3b/FMHWObwrZparxhkk5FRR',
    'FKSo9ndBtEtstqXwmFJiqOodr5OO1LkrpHUTFyLL0vGFvpyJoZav9tFZ64TlLtIp6l8oLIyclD30b2LnJsTccWdbW2z5PW/uX0PWIw/QfZBmJB',
    'CAkWWAAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);

/** Under which a mail carries the image. */
export const markContentId = 'mark@sabia';
