-- Tables, indexes, joins, windows, triggers, texts and JSON; :scale rows are made.
PRAGMA journal_mode = MEMORY;
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT, credit REAL);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, item TEXT,
                      price REAL, day INTEGER);
CREATE TABLE log(at INTEGER, what TEXT);
CREATE TRIGGER purchase_log AFTER UPDATE OF price ON purchase
BEGIN
  INSERT INTO log VALUES (new.day, new.item || ':' || printf('%.2f', new.price - old.price));
END;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :scale / 10)
INSERT INTO customer
SELECT i, 'customer-' || substr('abcdefghijklmnopqrstuvwxyz', 1 + i % 26, 1) || i,
       CASE i % 5 WHEN 0 THEN 'Ghent' WHEN 1 THEN 'Turku' WHEN 2 THEN 'Lyon' WHEN 3 THEN NULL ELSE 'Porto' END,
       (i * 7919) % 1000 / 10.0
FROM n;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :scale)
INSERT INTO purchase
SELECT i, 1 + (i * 31) % (:scale / 10), 'item-' || (i * 17) % 97, (i * 104729) % 10000 / 100.0, i % 365
FROM n;

CREATE INDEX purchase_customer ON purchase(customer, day);
CREATE INDEX purchase_item ON purchase(item);
ANALYZE;

SELECT town, count(*), round(sum(price), 2), max(name)
FROM customer JOIN purchase ON purchase.customer = customer.id
GROUP BY town ORDER BY 2 DESC, 1;

SELECT item, count(*) AS times, round(avg(price), 3)
FROM purchase WHERE item GLOB 'item-[1-4]*' GROUP BY item HAVING times > 3 ORDER BY item LIMIT 12;

SELECT customer, day, round(total, 2) FROM (
  SELECT customer, day, sum(price) OVER w AS total, row_number() OVER w AS place
  FROM purchase WHERE customer < 200
  WINDOW w AS (PARTITION BY customer ORDER BY day, id)
) WHERE place = 5 ORDER BY customer LIMIT 10;

UPDATE purchase SET price = price * 1.1 WHERE day % 7 = 3;
SELECT count(*), group_concat(what) FROM (SELECT what FROM log ORDER BY at, what LIMIT 6);

DELETE FROM purchase WHERE customer IN (SELECT id FROM customer WHERE town IS NULL);
SELECT count(*), round(total(price), 2) FROM purchase;

SELECT name, (SELECT count(*) FROM purchase p WHERE p.customer = c.id AND p.price > c.credit) AS above
FROM customer c WHERE town = 'Lyon' ORDER BY above DESC, name LIMIT 8;

SELECT sum(json_extract(document, '$.price') > 50), sum(length(document))
FROM (SELECT json_object('item', item, 'price', price, 'tags', json_array(day, id)) AS document FROM purchase);

SELECT upper(hex(substr(group_concat(name, '-'), 1, 40))), count(DISTINCT substr(name, 10, 1))
FROM customer WHERE name LIKE '%1%' OR name LIKE '%z_';

CREATE TABLE sorted AS SELECT * FROM purchase ORDER BY price DESC, item;
SELECT rowid, item, round(price, 2) FROM sorted WHERE rowid % (1 + :scale / 9) = 1;
REINDEX;
VACUUM;
PRAGMA integrity_check;
