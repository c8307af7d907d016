insert into berries values ('bilberry', 7), ('crowberry', 8), ('cloudberry', 7);
